"""What holds of finished downloads: each file is its source, under its name, and the catalog says so."""

from . import sources


def equal(program, found, expect):
    """Compares files and catalog with what the origin holds."""
    listed = program.run("list", "--state", "completed", "--json")
    expect(listed.code == 0, f"list: {listed}")
    rows = {row["path"]: row for row in listed.rows}
    wrong = []
    for source in found:
        path = program.files / source.name
        row = rows.get(str(path), {})
        if not path.is_file():
            wrong.append(f"'{source.name}' is not there")
        elif sources.digest(path) != source.digest:
            wrong.append(f"'{source.name}' differs from its source")
        elif (row.get("digest"), row.get("size")) != (source.digest, source.size):
            wrong.append(f"the catalog says of '{source.name}': {row.get('digest')}, {row.get('size')} bytes")
    expect(not wrong, f"{len(wrong)} of {len(found)} files: {'; '.join(wrong[:2])}")
    extra = {path.name for path in program.files.iterdir()} - {source.name for source in found}
    expect(not extra, f"files that nobody asked for: {sorted(extra)[:5]}")
    return not wrong and not extra
