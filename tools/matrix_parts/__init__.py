"""The parts of tools/matrix: Debian's web servers, and one module for each thing that is measured against them."""
