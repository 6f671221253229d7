"""What the functions of trawl raise. Every message says what is wrong and what to do."""


class Error(Exception):
    """The input or the machine failed."""


class UsageError(Error, ValueError):
    """The call is wrong: an option that does not exist, options that do not go together, a value out of range."""


class InputError(Error, ValueError):
    """A file or a sequence has something that cannot be used."""


class IoError(Error, OSError):
    """A file cannot be opened, read, written or renamed."""


class Cancelled(Error):
    """A callback has ended the work."""
