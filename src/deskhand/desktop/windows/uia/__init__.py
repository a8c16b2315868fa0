"""Controls that programs expose by UI Automation, read and operated; untried on Windows."""
