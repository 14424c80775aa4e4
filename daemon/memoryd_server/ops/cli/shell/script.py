"""``memoryd completion``: the script by which a shell completes commands and names."""

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script by which a shell completes commands, options, agents, keys and ids.

    \b
    bash: echo 'eval "$(memoryd completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(memoryd completion zsh)"' >> ~/.zshrc
    fish: memoryd completion fish > ~/.config/fish/completions/memoryd.fish
    """
    # Imported late: both import this module.
    from click.shell_completion import get_completion_class

    from memoryd_server.ops.cli.main import memoryd

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(memoryd, {}, "memoryd", "_MEMORYD_COMPLETE").source())
