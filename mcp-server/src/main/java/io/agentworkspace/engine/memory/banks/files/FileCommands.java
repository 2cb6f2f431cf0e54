package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryStore;
import io.agentworkspace.engine.memory.banks.MemoryStore.MemoryDraft;
import io.agentworkspace.engine.memory.banks.MemoryWrite;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The commands of the memory tool that change something, each in the transaction of its call. They
 * return the text for the model.
 */
final class FileCommands {
    private static final int QUOTED = 1_000;
    private static final int LINES_NAMED = 100;

    private final MemoryStore memories;
    private final FileStore files;
    private final Call call;
    private final BankStore.LockedBank bank;
    private final Ref author;
    private final boolean censored;
    private final MemoryWrite write;

    FileCommands(MemoryStore memories, FileStore files, Call call, BankStore.LockedBank bank, Ref author) {
        this.memories = memories;
        this.files = files;
        this.call = call;
        this.bank = bank;
        this.author = author;
        this.censored = memories.censorship(call, bank, author).author();
        this.write = new MemoryWrite(memories, call, bank, author, censored);
    }

    String create(FilePath path, String text) {
        if (path.isRoot() || !censored && isDirectory(path)) {
            throw exists(path);
        }
        for (var end = path.name().indexOf('/'); end >= 0; end = path.name().indexOf('/', end + 1)) {
            requireNoFile(new FilePath(path.text(), path.name().substring(0, end)));
        }
        write.edit(path.file(), holder -> {
            if (holder != null && files.isCurrent(call, bank, holder.id())) {
                throw exists(path);
            }
            return draft(path, text);
        });
        return "File created successfully at: " + path.text();
    }

    private boolean isDirectory(FilePath path) {
        return files.find(call, bank, path).stream().anyMatch(file -> !isAt(file, path));
    }

    private static boolean isAt(FileStore.File file, FilePath path) {
        return Name.key(file.name()).equals(path.key());
    }

    private void requireNoFile(FilePath parent) {
        if (files.find(call, bank, parent).stream().anyMatch(file -> isAt(file, parent))) {
            throw ToolText.refused(
                    Failure.CONFLICT,
                    "Error: %s/%s is a file, so nothing can be below it".formatted(FilePath.ROOT, parent.name()));
        }
    }

    private static Problem exists(FilePath path) {
        return ToolText.refused(Failure.ALREADY_EXISTS, "Error: File %s already exists".formatted(path.text()));
    }

    String strReplace(FilePath path, String old, String replacement) {
        var changed = new int[1];
        var stored = edit(path, "Error: ", text -> {
            var at = occurrences(text, old);
            if (at.isEmpty()) {
                throw ToolText.refused(
                        Failure.CONFLICT,
                        "No replacement was performed, old_str `%s` did not appear verbatim in %s."
                                .formatted(Excerpt.of(old, QUOTED), path.text()));
            } else if (at.size() > 1) {
                throw ToolText.refused(
                        Failure.CONFLICT,
                        "No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique"
                                .formatted(Excerpt.of(old, QUOTED), lines(text, at)));
            }
            changed[0] = line(text, at.getFirst());
            return text.substring(0, at.getFirst()) + replacement + text.substring(at.getFirst() + old.length());
        });
        return ToolText.snippet(stored, changed[0]);
    }

    /** Returns the first places of a text, in time that grows with both lengths and not with their product (Knuth, Morris, Pratt). */
    private static List<Integer> occurrences(String text, String old) {
        var shorter = new int[old.length()];
        for (int at = 1, same = 0; at < old.length(); at++) {
            while (same > 0 && old.charAt(at) != old.charAt(same)) {
                same = shorter[same - 1];
            }
            same += old.charAt(at) == old.charAt(same) ? 1 : 0;
            shorter[at] = same;
        }
        var found = new ArrayList<Integer>();
        for (int at = 0, same = 0; at < text.length() && found.size() < LINES_NAMED; at++) {
            while (same > 0 && (same == old.length() || text.charAt(at) != old.charAt(same))) {
                same = shorter[same - 1];
            }
            same += text.charAt(at) == old.charAt(same) ? 1 : 0;
            if (same == old.length()) {
                found.add(at - same + 1);
            }
        }
        return found;
    }

    private static String lines(String text, List<Integer> at) {
        var lines =
                at.stream().limit(LINES_NAMED).map(place -> line(text, place)).distinct();
        return lines.map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** Returns the number of the line, counted from 1. */
    private static int line(String text, int place) {
        return 1 + (int) text.chars().limit(place).filter(c -> c == '\n').count();
    }

    String insert(FilePath path, long after, String inserted) {
        edit(path, "Error: ", text -> {
            var lines = new ArrayList<>(List.of(text.split("\n", -1)));
            if (after < 0 || after > lines.size()) {
                throw ToolText.refused(
                        Failure.INVALID_FIELD,
                        "Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]"
                                .formatted(after, lines.size()));
            }
            lines.add((int) after, inserted.endsWith("\n") ? inserted.substring(0, inserted.length() - 1) : inserted);
            return String.join("\n", lines);
        });
        return "The file %s has been edited.".formatted(path.text());
    }

    private interface Edit {
        String of(String text);
    }

    /** Edits a file and returns its new text. The file is locked before it is read, so no other writer's change is lost. */
    private String edit(FilePath path, String start, Edit edit) {
        if (path.isRoot()) {
            throw ToolText.notThere(start, path.text());
        }
        var text = new String[1];
        write.edit(path.file(), holder -> {
            if (holder == null) {
                throw ToolText.notThere(start, path.text());
            }
            text[0] = edit.of(memories.read(call, bank, holder.id()).text());
            return draft(path, text[0]);
        });
        return text[0];
    }

    private static MemoryDraft draft(FilePath path, String text) {
        var length = text.codePointCount(0, text.length());
        if (length > Limits.CONTENT) {
            throw ToolText.refused(
                    Failure.TOO_LARGE,
                    "Error: The file %s would have %,d characters; at most %,d are allowed"
                            .formatted(path.text(), length, Limits.CONTENT));
        }
        return MemoryDraft.of(path.file(), text);
    }

    String delete(FilePath path) {
        if (path.isRoot()) {
            throw ToolText.refused(
                    Failure.INVALID_FIELD, "Error: Cannot delete the %s directory itself".formatted(FilePath.ROOT));
        }
        files.delete(call, bank, changeable(path));
        return "Successfully deleted " + path.text();
    }

    String rename(FilePath from, FilePath to) {
        if (from.isRoot()) {
            throw ToolText.refused(
                    Failure.INVALID_FIELD, "Error: Cannot rename the %s directory itself".formatted(FilePath.ROOT));
        }
        var moved = changeable(from);
        var isSame = from.key().equals(to.key());
        if (to.isRoot()
                || !isSame && (from.holds(to) || !files.find(call, bank, to).isEmpty())) {
            throw taken(to);
        }
        for (var end = to.name().indexOf('/'); end >= 0; end = to.name().indexOf('/', end + 1)) {
            requireNoFile(new FilePath(to.text(), to.name().substring(0, end)));
        }
        var names = moved.stream().map(file -> renamed(file, from, to)).toList();
        if (!files.rename(call, bank, author, moved, names)) {
            throw taken(to);
        }
        return "Successfully renamed %s to %s".formatted(from.text(), to.text());
    }

    private static MemoryName renamed(FileStore.File file, FilePath from, FilePath to) {
        var parts = List.of(file.name().split("/"));
        var rest = parts.subList(from.depth(), parts.size());
        var name = rest.isEmpty() ? to.name() : to.name() + "/" + String.join("/", rest);
        MemoryName.broken(name).ifPresent(rule -> {
            throw ToolText.refused(
                    Failure.INVALID_FIELD, "Error: Invalid path %s/%s: it %s".formatted(FilePath.ROOT, name, rule));
        });
        return MemoryName.of(name);
    }

    private static Problem taken(FilePath path) {
        return ToolText.refused(
                Failure.ALREADY_EXISTS, "Error: The destination %s already exists".formatted(path.text()));
    }

    /** Locks the files at the path, if the author may change each of them. */
    private List<FileStore.File> changeable(FilePath path) {
        var found = files.lock(call, bank, path);
        if (found.isEmpty()) {
            throw ToolText.doesNotExist(path.text());
        }
        if (censored) {
            throw Problem.notPermitted(
                    "your writes in this bank are in quarantine, so you cannot delete or rename memories that others read");
        }
        if (found.stream().anyMatch(file -> file.author() != author.id())) {
            bank.permission().require(Permission.WRITE);
        }
        return found;
    }
}
