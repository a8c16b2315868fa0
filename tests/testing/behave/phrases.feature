Feature: Phrases of the steps

  Scenario: Controls of a program
    * Start application "fixture" via command with env "GTK_THEME=Adwaita OTHER='two words'"
    * Application "fixture" is running
    * Item "Fixture" "frame" that is "showing" in "fixture"
    * Wait until "Fixture" "frame" is "active"
    * Item "Press me" "push button" found
    * Item "Press me" "push button" with action "click" has size at least "10,10" has size at most "2000,500"
    * Item "r:Press .*" "r:(push )?button" is "enabled" that is at least "0,0" from top left
    * Item "Off" "push button" is not "sensitive"
    * Item "Hidden" "push button" was not found
    * Item "Hidden" "push button" that is not "showing" was not found
    * Item "Press me" "push button" does not have description "nothing"
    * Item "Check me" "check box" is not "checked"
    * Left click "Check me" "check box" that is "showing" in "fixture"
    * Wait until "Check me" "check box" is "checked"
    * Make an action "click" for "Press me" "push button"
    * Mouse over "Press me" "push button" with offset "3,2"
    * Left click "Press me" "push button" with offset "(2,2)" that is "focusable"
    * Double click "Name" "text"
    * Key combo: "<Control_L><A>"
    * Type text: "say "hi" {ENTER}"
    * Press key: "Home"
    * Item "Name" "text" has text "say "
    * Item "Name" "text" does not have text "Ada" that is "editable"
    * Item "Name" "text" is "focused"
    * Wait until "Nothing" "label" disappears
    * Wait until "Plain words" "label"
    * Wait 0.1 seconds before action
    * Run and save command output: "cp state.json after.json; cat state.json"
    * Last command output "contains" "Press me"
    * Last command output "does not end with" "Press me"
    * Return code of last command output "is" "0"
    * Close application "fixture" via "kill command"
    * Application "fixture" is no longer running

  Scenario Outline: Nothing is left of another scenario
    * Run and save command output: "cat ~/left; printf <word> > ~/left"
    * Last command output "is not" "x"

    Examples:
      | word |
      | x    |
      | x    |
