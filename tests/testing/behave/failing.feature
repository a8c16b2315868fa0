
  Scenario: A label that is spelt otherwise
    * Start application "gnome-calculator"
    * Left click "Primary mnu" "push button"

  Scenario: A role that does not exist
    * Start application "fixture" via "command"
    * Item "Press me" "pushbuton" found
