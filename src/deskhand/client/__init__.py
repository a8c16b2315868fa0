"""Have the resident server of a desktop carry out a command line. Standard library only: each command pays for it."""
