"""`python -m deskhand`: the program `deskhand`."""

from deskhand.cli import main

if __name__ == "__main__":
    main()
