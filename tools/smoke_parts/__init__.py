"""The parts of tools/smoke: an origin, the program under test, and one module for each scenario."""
