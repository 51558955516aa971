"""Statements over the lake: which tables a query names, and at which snapshot."""
