"""MultiQC module for Trawl. MultiQC finds it by the entry points in pyproject.toml."""

from multiqc import config


def add_search_pattern():
    """Called by MultiQC before it reads the user's settings, which may therefore replace the pattern."""
    config.update_dict(config.sp, {"trawl": {"fn": "*.trawl.json"}})
