"""The parts of tools/aria2p-check: an origin, the program under test, and the checks."""
