@main struct Program { static func main() { print("ledger") } }
