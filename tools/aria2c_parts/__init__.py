"""The parts of tools/aria2c: its flags, the list that is handed to ledger, the server, and the exit codes."""
