package io.agentworkspace.engine.hooks;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** The files that a tool of a coding agent is about to change, as its input names them. */
final class EditedFiles {
    /** The fields that name a file, in the tools of the clients. */
    private static final List<String> FIELDS = List.of("file_path", "notebook_path", "absolute_path");

    /** The fields that may contain a patch. */
    private static final List<String> PATCHES = List.of("input", "command", "patch");

    private static final Pattern IN_PATCH =
            Pattern.compile("^\\*\\*\\* (?:Update File|Add File|Delete File|Move to): (.+)$", Pattern.MULTILINE);

    private EditedFiles() {}

    /**
     * Returns the files that are in the repository, relative to it, with slashes.
     *
     * @param folder the folder of the session
     * @param root the folder of the repository; the folder of the session if it is empty, or neither is in the other
     * @param file a file that the event names itself; empty if it does not
     */
    static List<String> of(JsonNode input, String folder, String root, String file) {
        var named = new ArrayList<String>();
        named.add(file);
        FIELDS.forEach(field -> named.add(input.path(field).asString("")));
        for (var field : PATCHES) {
            IN_PATCH.matcher(text(input.path(field)))
                    .results()
                    .forEach(found -> named.add(found.group(1).strip()));
        }
        return named.stream()
                .filter(name -> !name.isBlank())
                .map(name -> relative(name, folder, root))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** Some clients send a command as a list of words. */
    private static String text(JsonNode value) {
        return value.isArray()
                ? String.join(
                        "\n", value.valueStream().map(one -> one.asString("")).toList())
                : value.asString("");
    }

    private static String relative(String name, String folder, String root) {
        try {
            var session = Path.of(folder).normalize();
            var found = Path.of(root).normalize();
            var top = found.isAbsolute() && (session.startsWith(found) || found.startsWith(session)) ? found : session;
            var path = Path.of(name).normalize();
            if (session.isAbsolute()) {
                path = session.resolve(path).normalize();
            }
            if (path.isAbsolute()) {
                if (!top.isAbsolute() || !path.startsWith(top)) {
                    return "";
                }
                path = top.relativize(path);
            }
            var text = path.toString().replace('\\', '/');
            return text.startsWith("..") ? "" : text;
        } catch (InvalidPathException e) {
            return "";
        }
    }
}
