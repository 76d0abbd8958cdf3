"""A slow, direct model of the contract, written from its text alone, to test the engine against.

It shares no code with the engine and never imports it: plain dicts, whole scans, everything computed anew each time.
Where the contract can be read in two ways, the model raises `Ambiguous` instead of choosing.
"""
