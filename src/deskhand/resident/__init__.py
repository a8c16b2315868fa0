"""The resident server of a desktop: it carries out command lines of other processes, on connections that stay open."""
