"""Feeds what peat-inspect reads of thousands of captures to an engine that answers SQL."""
