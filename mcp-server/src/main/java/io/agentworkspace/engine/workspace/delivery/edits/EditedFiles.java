package io.agentworkspace.engine.workspace.delivery.edits;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.workspace.delivery.edits.ShellCommand.Word;
import io.agentworkspace.engine.workspace.delivery.edits.ShellWrites.Extent;
import io.agentworkspace.engine.workspace.delivery.edits.ShellWrites.Write;
import io.agentworkspace.engine.workspace.reservations.EditedPath;
import io.agentworkspace.engine.workspace.reservations.PathForm;
import io.agentworkspace.engine.workspace.reservations.PathForm.Letters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The files that a tool of a coding agent is about to change, as its input names them: relative to the repository. */
public final class EditedFiles {
    /** The most files of one event that are compared. */
    static final int MOST = 200;

    /** The most worktrees and submodules of a repository that are known. */
    private static final int MOST_ROOTS = 50;

    /** The longest command that is read, in characters. */
    private static final int LONGEST_COMMAND = 64 * 1024;

    /** The fields that name a file, in the tools of the clients. */
    private static final List<String> FIELDS = List.of("file_path", "notebook_path", "absolute_path", "path");

    /** The fields that may contain a patch. */
    private static final List<String> PATCHES = List.of("input", "command", "cmd", "patch");

    /** The fields with a command of a shell, and those with the folder where it runs. */
    private static final List<String> COMMANDS = List.of("command", "cmd");

    private static final List<String> FOLDERS = List.of("workdir", "working_directory", "dir_path", "directory");

    private static final Pattern IN_PATCH =
            Pattern.compile("^\\*\\*\\* (?:Update File|Add File|Delete File|Move to): (.+)$", Pattern.MULTILINE);
    private static final Pattern HOME =
            Pattern.compile("^(?:/home/[^/]+|/Users/[^/]+|/[a-z]/Users/[^/]+|/root)(?=/|$)");

    private final List<String> sessions;
    private final List<Top> tops;
    private final boolean isWindows;
    private final Letters letters;
    private final Map<String, EditedPath> certain = new LinkedHashMap<>();
    private final Map<String, EditedPath> possible = new LinkedHashMap<>();
    private boolean isOpen;

    private EditedFiles(JsonNode event) {
        var system = event.path("system").asString("");
        var cwd = event.path("cwd").asString("");
        var root = event.path("root").asString("");
        this.isWindows = system.isEmpty()
                ? ClientPath.isOfWindows(cwd)
                        || ClientPath.isOfWindows(root)
                        || cwd.isEmpty() && named(event).anyMatch(ClientPath::isOfWindows)
                : system.matches("(?i)(MINGW|MSYS|CYGWIN|Windows).*");
        var ignoresCase = isWindows
                || system.equals("Darwin")
                || system.isEmpty() && ClientPath.isOfMac(cwd)
                || cwd.matches("/mnt/[A-Za-z]/.*"); // Windows, seen from a Linux within it.
        this.letters = ignoresCase ? Letters.ANY_CASE : Letters.EXACT;
        this.sessions = Stream.of(cwd, event.path("real_cwd").asString(""))
                .map(this::plain)
                .distinct()
                .limit(cwd.isEmpty() ? 1 : 2)
                .filter(folder -> cwd.isEmpty() || !folder.isEmpty())
                .toList();
        var listed = tops(event, root);
        var isOfSession = listed.stream()
                .anyMatch(top -> sessions.stream()
                        .anyMatch(session -> contains(top.path(), session) || contains(session, top.path())));
        this.tops = isOfSession
                ? listed
                : sessions.stream().map(session -> new Top(session, "")).toList();
    }

    /** A folder that paths are relative to, and the name of its git worktree; empty if that is unknown. */
    private record Top(String path, String worktree) {}

    /**
     * Returns the root of the repository, and where the same files are else: its other worktrees, the repositories that contain it
     * as a submodule, and its submodules. A reserved path may be relative to each of them.
     */
    private List<Top> tops(JsonNode event, String root) {
        var tops = event.path("roots")
                .valueStream()
                .limit(MOST_ROOTS)
                .map(one -> new Top(
                        plain(one.path("path").asString("")),
                        PathForm.worktree(one.path("worktree").asString(""))))
                .filter(top -> !top.path().isEmpty())
                .distinct()
                .toList();
        var top = plain(root);
        return !tops.isEmpty() || top.isEmpty() ? tops : List.of(new Top(top, ""));
    }

    private static Stream<String> named(JsonNode event) {
        return FIELDS.stream().map(field -> event.path("tool_input").path(field).asString(""));
    }

    /**
     * Reads the event before a tool runs.
     *
     * @param event with {@code cwd}, {@code tool_input} and perhaps {@code tool_name}; besides, with what a client's script
     *     found: {@code root} of the repository, {@code roots} with those that share its files, {@code real_cwd} and {@code real_file} without links, the name of the {@code system}
     * @param file a file that the event names itself; empty if it does not
     */
    public static Edits of(JsonNode event, String file, StepAllowance allowance) {
        var found = new EditedFiles(event);
        var input = event.path("tool_input");
        var named = new ArrayList<String>();
        named.add(file);
        named.add(event.path("real_file").asString(""));
        named(event).forEach(named::add);
        for (var field : PATCHES) {
            IN_PATCH.matcher(text(input.path(field)))
                    .results()
                    .limit(MOST)
                    .forEach(line -> named.add(line.group(1).strip()));
        }
        named.stream()
                .filter(name -> !name.isBlank())
                .limit(MOST)
                .forEach(name -> found.add(ShellWrites.literal(name)));
        if (!event.path("tool_name").asString("").contains("patch")) {
            COMMANDS.forEach(field -> found.command(input, command(input.path(field)), allowance));
        }
        return new Edits(
                List.copyOf(found.certain.values()),
                List.copyOf(found.possible.values()),
                found.isOpen,
                found.tops.isEmpty() ? "" : found.tops.getFirst().worktree(),
                found.letters);
    }

    /** Some clients send a command as a list of words. */
    private static String text(JsonNode value) {
        return value.isArray()
                ? value.valueStream().map(one -> one.asString("")).collect(Collectors.joining("\n"))
                : value.asString("");
    }

    private static String command(JsonNode value) {
        return value.isArray()
                ? value.valueStream()
                        .map(one -> "'" + one.asString("").replace("'", "'\\''") + "'")
                        .collect(Collectors.joining(" "))
                : value.asString("");
    }

    private void command(JsonNode input, String text, StepAllowance allowance) {
        if (text.isEmpty() || sessions.isEmpty()) {
            return;
        }
        if (text.length() > LONGEST_COMMAND) {
            isOpen = true;
            return;
        }
        var folder = FOLDERS.stream()
                .map(field -> input.path(field).asString(""))
                .filter(each -> !each.isEmpty())
                .findFirst()
                .map(each -> ClientPath.resolved(sessions.getFirst(), plain(each)))
                .orElse(sessions.getFirst());
        var home = HOME.matcher(folder);
        var variables = new LinkedHashMap<String, Word>();
        variables.put("PWD", ShellWrites.literal(folder));
        if (home.find()) {
            variables.put("HOME", ShellWrites.literal(home.group()));
        }
        var writes = ShellWrites.of(text, folder, isWindows, variables, allowance);
        isOpen |= writes.isOpen() || writes.writes().size() > MOST;
        writes.writes().stream().limit(MOST).forEach(this::add);
    }

    private void add(Word file) {
        add(new Write(sessions.isEmpty() ? "" : sessions.getFirst(), file, Extent.FILE, true));
    }

    private void add(Write write) {
        if (write.word().text().length() > ClientPath.LONGEST) {
            return;
        }
        var to = write.isCertain() ? certain : possible;
        if (write.word().isPattern() || !write.word().isKnown()) {
            for (var alternative : alternatives(write.word().pattern())) {
                relative(write.folder(), alternative, EditedPath::literal, (path, _, top) -> {
                    var pattern = write.extent() == Extent.TREE ? "{%1$s,%1$s/**}".formatted(path) : path;
                    EditedPath.pattern(pattern, letters)
                            .ifPresentOrElse(
                                    edited -> put(to, "* " + pattern, edited, top), () -> isOpen |= !path.isEmpty());
                });
            }
        } else {
            relative(write.folder(), write.word().text(), UnaryOperator.identity(), (path, isAbove, top) -> {
                if (write.extent() == Extent.TREE) {
                    put(to, path + "/", EditedPath.tree(path, letters), top);
                } else if (!isAbove) {
                    put(to, path, EditedPath.file(path), top);
                }
            });
        }
    }

    private static void put(Map<String, EditedPath> to, String name, EditedPath path, Top top) {
        to.put(top.worktree() + ": " + name, path.in(top.worktree()));
    }

    /** Takes a path relative to a folder, and whether it is this folder or one around it. */
    private interface RelativePath {
        void accept(String path, boolean isAbove, Top top);
    }

    /** Returns the paths in the braces with which a pattern begins, since each can be absolute; otherwise the pattern. */
    private static List<String> alternatives(String pattern) {
        var parts = new ArrayList<String>();
        var depth = 0;
        var from = 1;
        for (var i = 0; i < pattern.length() && (i == 0 || depth > 0) && parts.size() <= MOST; i++) {
            var isSign = i == 0 || pattern.charAt(i - 1) != '[';
            var c = isSign ? pattern.charAt(i) : ' ';
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (c == ',' && depth == 1 || c == '}' && depth == 0) {
                parts.add(pattern.substring(from, i));
                from = i + 1;
            }
        }
        var rest = pattern.substring(Math.min(from, pattern.length()));
        return parts.isEmpty() || depth > 0
                ? List.of(pattern)
                : parts.stream().map(part -> part + rest).toList();
    }

    /** Passes on the path relative to the repository; an empty one if it is the repository, or a folder around it. */
    private void relative(String folder, String name, UnaryOperator<String> form, RelativePath relative) {
        var path = ClientPath.resolved(form.apply(folder), plain(name));
        var ways = new ArrayList<String>();
        ways.add(path);
        if (sessions.size() > 1 && contains(form.apply(sessions.getFirst()), path)) {
            ways.add(form.apply(sessions.get(1))
                    + path.substring(form.apply(sessions.getFirst()).length()));
        }
        for (var way : ways) {
            // A worktree can be in a folder of another one, whose reservations are not its own.
            var inner = tops.stream()
                    .filter(each -> contains(form.apply(each.path()), way))
                    .max(Comparator.comparingInt(each -> each.path().length()));
            for (var each : tops) {
                if (inner.isPresent()
                        && contains(form.apply(each.path()), way)
                        && !each.worktree().equals(inner.get().worktree())) {
                    continue;
                }
                var top = form.apply(each.path());
                if (top.isEmpty() && !ClientPath.isAbsolute(way) && !way.startsWith("..") && !way.isEmpty()) {
                    relative.accept(way, false, each);
                } else if (!top.isEmpty() && contains(top, way) && way.length() > top.length()) {
                    relative.accept(way.substring(top.equals("/") ? 1 : top.length() + 1), false, each);
                } else if (!top.isEmpty() && contains(way, top)) {
                    relative.accept("", true, each);
                }
            }
        }
    }

    private boolean contains(String folder, String path) {
        return !folder.isEmpty() && ClientPath.contains(folder, path, letters == Letters.ANY_CASE);
    }

    private String plain(String path) {
        var plain = ClientPath.plain(path, isWindows || ClientPath.isOfWindows(path));
        return ClientPath.normal(plain);
    }
}
