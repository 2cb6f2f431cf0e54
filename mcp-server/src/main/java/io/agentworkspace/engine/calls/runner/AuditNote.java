package io.agentworkspace.engine.calls.runner;

import io.agentworkspace.engine.calls.why.AuditSubject;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.model.text.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the audit keeps of a request besides its subject: the names of its arguments, and the note of a refusal, both without contents. */
final class AuditNote {
    private static final int MAX_NOTE = 500;
    private static final int MAX_ARGUMENTS = 40;
    private static final int SHOWN = 16;
    private static final String LEFT_OUT = "…";
    private static final Pattern ARGUMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,40}");
    private static final Pattern ADDRESS = Pattern.compile("[^\\s'\"<>(),;:]+@[^\\s'\"<>(),;:]+");

    private AuditNote() {}

    /** Returns the names of the arguments, of nested ones as {@code target.agent}, in alphabetical order. */
    static List<String> arguments(ObjectNode arguments) {
        var names = new ArrayList<String>();
        arguments.properties().forEach(field -> {
            if (field.getValue() instanceof ObjectNode nested && !nested.isEmpty()) {
                nested.propertyNames().forEach(name -> add(names, field.getKey(), name));
            } else {
                add(names, null, field.getKey());
            }
        });
        return names.stream().sorted().limit(MAX_ARGUMENTS).toList();
    }

    private static void add(List<String> names, @Nullable String within, String name) {
        if (ARGUMENT.matcher(name).matches()
                && (within == null || ARGUMENT.matcher(within).matches())) {
            names.add(KeyFormat.masked(within == null ? name : within + "." + name));
        }
    }

    /** Returns the note without what it quotes of the request, except the names that the entry has anyway. */
    static String of(String note, ObjectNode arguments, AuditSubject subject) {
        var text = note;
        for (var value : values(arguments, new ArrayList<>())) {
            if (!value.equals(subject.name()) && !value.equals(subject.id()) && !value.equals(subject.member())) {
                text = without(text, value);
            }
        }
        return Excerpt.cut(ADDRESS.matcher(KeyFormat.masked(text)).replaceAll("an e-mail address"), MAX_NOTE);
    }

    private static List<String> values(JsonNode node, List<String> found) {
        if (node.isString()) {
            found.add(node.asString());
        } else {
            node.forEach(child -> values(child, found));
        }
        return found;
    }

    /** A short value is left out where it is quoted, a long one wherever its beginning is. */
    private static String without(String note, String value) {
        if (value.length() < SHOWN) {
            return value.isBlank() ? note : note.replace("'" + value + "'", "'" + LEFT_OUT + "'");
        }
        var begin = value.substring(0, SHOWN);
        var left = new StringBuilder(note);
        for (var at = left.indexOf(begin); at >= 0; at = left.indexOf(begin, at)) {
            var end = at + SHOWN;
            while (end < left.length() && end - at < value.length() && left.charAt(end) == value.charAt(end - at)) {
                end++;
            }
            left.replace(at, end, LEFT_OUT);
        }
        return left.toString();
    }
}
