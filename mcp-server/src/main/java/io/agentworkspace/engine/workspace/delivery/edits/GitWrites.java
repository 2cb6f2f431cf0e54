package io.agentworkspace.engine.workspace.delivery.edits;

import static io.agentworkspace.engine.workspace.delivery.edits.Options.has;
import static io.agentworkspace.engine.workspace.delivery.edits.Options.operands;

import io.agentworkspace.engine.workspace.delivery.edits.ShellCommand.Word;
import io.agentworkspace.engine.workspace.delivery.edits.ShellWrites.Extent;
import java.util.List;
import java.util.Set;

/** What a command of Git writes into the files of the repository. */
final class GitWrites {
    /** The commands of {@code git stash}, {@code git bisect} and the like that change no file. */
    private static final Set<String> READ =
            Set.of("list", "show", "drop", "clear", "create", "status", "summary", "init", "log", "view", "visualize");

    private final ShellWrites shell;

    GitWrites(ShellWrites shell) {
        this.shell = shell;
    }

    /** @param arguments all that follows the word git */
    void run(List<Word> arguments) {
        if (arguments.isEmpty()) {
            return;
        }
        var option = arguments.getFirst();
        if (!option.isOption()) {
            command(option.text(), arguments.subList(1, arguments.size()));
        } else if (!Set.of("-C", "-c", "--git-dir", "--work-tree").contains(option.text()) || arguments.size() == 1) {
            run(arguments.subList(1, arguments.size()));
        } else if (option.text().equals("-C")) {
            shell.in(arguments.get(1), () -> run(arguments.subList(2, arguments.size())));
        } else {
            run(arguments.subList(2, arguments.size()));
        }
    }

    private void command(String name, List<Word> arguments) {
        var operands = operands(arguments, Set.of("-s", "--source", "-b", "-B", "-m"));
        var paths = arguments.stream().anyMatch(word -> word.text().equals("--"))
                ? arguments.stream()
                        .dropWhile(word -> !word.text().equals("--"))
                        .skip(1)
                        .toList()
                : null;
        switch (name) {
            case "checkout" -> {
                if (paths != null) {
                    paths.forEach(this::restored);
                } else if (!has(arguments, "[bB]", "--orphan")) {
                    shell.open();
                    operands.forEach(this::restored);
                }
            }
            case "restore" -> {
                if (!has(arguments, "S", "--staged") || has(arguments, "W", "--worktree")) {
                    (paths == null ? operands : paths).forEach(this::restored);
                }
            }
            case "rm", "mv" -> {
                if (!has(arguments, "[a-zA-Z]*n[a-zA-Z]*", "--cached", "--dry-run")) {
                    operands.forEach(file -> shell.add(file, Extent.TREE, true));
                }
            }
            case "apply" -> openIf(!has(arguments, "", "--check", "--stat", "--numstat", "--summary", "--cached"));
            case "reset" -> openIf(has(arguments, "", "--hard", "--merge", "--keep"));
            case "clean" -> {
                if (!has(arguments, "[a-zA-Z]*n[a-zA-Z]*", "--dry-run")) {
                    operands.forEach(path -> shell.add(path, Extent.TREE, false));
                    openIf(operands.isEmpty());
                }
            }
            case "stash" ->
                openIf(operands.isEmpty() || !READ.contains(operands.getFirst().text()));
            case "bisect", "submodule", "sparse-checkout" ->
                openIf(!operands.isEmpty() && !READ.contains(operands.getFirst().text()));
            case "switch" -> openIf(!has(arguments, "[cC]", "--create"));
            case "pull", "merge", "rebase", "cherry-pick", "revert", "am", "checkout-index", "read-tree" ->
                openIf(!has(arguments, "", "--show-current-patch"));
            default -> {}
        }
    }

    private void openIf(boolean isWriting) {
        if (isWriting) {
            shell.open();
        }
    }

    /** A file is written, a folder only as far as it differs. */
    private void restored(Word path) {
        shell.add(path, Extent.FILE, true);
        shell.add(path, Extent.TREE, false);
    }
}
