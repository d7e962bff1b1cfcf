"""`retinue key`: make an API key, shown once, with its line for the keys file."""

from typing import Annotated, Literal

import typer

from api.cli.printing import emit

app = typer.Typer(help="API keys for the server.", no_args_is_help=True)


@app.command("new")
def new(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="A name for the key. Default: a random one.")] = None,
    role: Annotated[Literal["read", "write"], typer.Option(help="What it may do.")] = "write",
    workspaces: Annotated[str, typer.Option(help='The workspaces it opens: names separated by commas, or "*".')] = "*",
) -> None:
    """Make a key. It is printed once and stored nowhere; the keys file holds only its SHA-256."""
    import secrets

    from api.keys import Key, digest_of, key_line, make_key
    from api.settings import check_workspace_name

    name = name or f"key-{secrets.token_hex(3)}"
    if not name.isprintable() or not name.strip() or any(c in name for c in '"\\'):
        raise typer.BadParameter("a key's name holds printable characters, no quotes and no backslash")
    opened = (
        None if workspaces == "*" else frozenset(check_workspace_name(item.strip()) for item in workspaces.split(","))
    )
    secret = make_key()
    key = Key(name=name, sha256=digest_of(secret), role=role, workspaces=opened)
    value = {
        "name": name,
        "key": secret,
        "sha256": key.sha256,
        "role": role,
        "workspaces": "*" if opened is None else sorted(opened),
        "line": key_line(key),
    }
    emit(
        context,
        value,
        lambda: [
            f"The key, shown this once:  {secret}",
            "Add this line to the file that RETINUE_API_KEYS_FILE names:",
            key_line(key),
        ],
    )
