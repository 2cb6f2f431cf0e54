package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.plan.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A statement with named parameters, parsed once. The driver's statements have positional parameters, and PostgreSQL
 * keeps a plan for each text on each connection.
 *
 * <p>Therefore values that decide the plan are written into the text: booleans, and nulls that the statement tests
 * with {@code CAST(:name AS type) IS NULL}. PostgreSQL then plans each case once, without the conditions that the case does not use.
 * Statements for administrators have no visibility conditions, and those without a cursor have no cursor condition.
 */
final class NamedSql {
    /**
     * The maximum number of statements kept, many more than there are. Beyond it, they are parsed again.
     */
    private static final int MOST = 2_000;

    /** The tables whose changes others listen to. */
    private static final Set<String> ANNOUNCED = Set.of(
            "agent",
            "roster",
            "domain",
            "zone",
            "membership",
            "bank",
            "bank_grant",
            "bank_censor",
            "memory",
            "message",
            "document",
            "skill",
            "skill_install",
            "mcp_task");

    /** The maximum number of names with such values, since each takes two bits. */
    private static final int MOST_LITERAL = 31;

    private static final Map<String, NamedSql> PARSED = new ConcurrentHashMap<>();
    private static final Map<List<String>, String> TOGETHER = new ConcurrentHashMap<>();
    private static final Pattern TOKENS =
            Pattern.compile("(?s)'[^']*'|\"[^\"]*\"|--[^\n]*|/\\*.*?\\*/|::|:([A-Za-z_]\\w*)");
    /** What is said of a message later, such as who has read it, is not announced. */
    private static final Pattern WRITES =
            Pattern.compile("(?:INSERT INTO|UPDATE(?! message\\b)|DELETE FROM)\\s+(\\w+)");

    /** The type that a parameter is cast to. */
    private static final Pattern CAST = Pattern.compile("CAST\\(:(\\w+) AS (bigint|integer|text|timestamptz|uuid)\\)");

    private static final Pattern OPTIONAL = Pattern.compile("CAST\\(:(\\w+) AS [^)]+\\) IS (?:NOT )?NULL");

    private final List<String> names = new ArrayList<>();
    /** The text between the parameters. */
    private final List<String> texts = new ArrayList<>();
    /** The name after each text but the last, by its position. */
    private final List<Integer> places = new ArrayList<>();

    private final List<String> optionalNames;
    private final Map<String, String> types;
    private final Set<String> announcedTables;
    private final Set<Scope> countedScopes;
    private final boolean changesAccess;
    private final Map<Long, Positional> variants = new ConcurrentHashMap<>();
    private final Map<Long, Positional> committing = new ConcurrentHashMap<>();

    /**
     * A statement in the driver's form.
     *
     * @param names the names of the parameters, in their order
     * @param types the types that parameters are cast to, by name
     */
    record Positional(String text, List<String> names, Map<String, String> types) {}

    private NamedSql(String text) {
        optionalNames =
                OPTIONAL.matcher(text).results().map(found -> found.group(1)).toList();
        types = CAST.matcher(text)
                .results()
                .collect(Collectors.toUnmodifiableMap(
                        found -> found.group(1), found -> found.group(2), (first, _) -> first));
        var written =
                WRITES.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toUnmodifiableSet());
        announcedTables = written.stream().filter(ANNOUNCED::contains).collect(Collectors.toUnmodifiableSet());
        changesAccess = written.stream().anyMatch(AccessVersion.TABLES::contains);
        countedScopes = Set.copyOf(CountedTable.changedBy(text));
        var tokens = TOKENS.matcher(text);
        var from = 0;
        while (tokens.find()) {
            var name = tokens.group(1);
            if (name != null) {
                if (!names.contains(name)) {
                    names.add(name);
                }
                texts.add(text.substring(from, tokens.start()));
                places.add(names.indexOf(name));
                from = tokens.end();
            }
        }
        texts.add(text.substring(from));
    }

    static NamedSql of(String text) {
        var cached = PARSED.get(text);
        if (cached != null) {
            return cached;
        }
        var parsed = new NamedSql(text);
        if (PARSED.size() < MOST) {
            PARSED.put(text, parsed);
        }
        return parsed;
    }

    /** Returns the tables that the statement writes to and whose changes others listen to. */
    Set<String> announcedTables() {
        return announcedTables;
    }

    /** Returns what the statement may change the number of, for which its transaction must say by how much. */
    Set<Scope> countedScopes() {
        return countedScopes;
    }

    /** Returns whether the statement writes to what decides access. */
    boolean changesAccess() {
        return changesAccess;
    }

    Positional with(Map<String, @Nullable Object> parameters) {
        return variants.computeIfAbsent(literals(parameters), this::positional);
    }

    /** Returns the text of statements that run in one round trip. */
    static String together(List<String> texts) {
        if (texts.size() == 1) {
            return texts.getFirst();
        }
        var cached = TOGETHER.get(texts);
        if (cached != null) {
            return cached;
        }
        var text = String.join(";\n", texts);
        if (TOGETHER.size() < MOST) {
            TOGETHER.put(List.copyOf(texts), text);
        }
        return text;
    }

    /** Returns the same statement with the commit in the same round trip. */
    Positional withCommit(Map<String, @Nullable Object> parameters) {
        return committing.computeIfAbsent(literals(parameters), literals -> {
            var plain = positional(literals);
            return new Positional(plain.text() + ";\nCOMMIT", plain.names(), types);
        });
    }

    private long literals(Map<String, @Nullable Object> parameters) {
        var literals = 0L;
        for (var i = 0; i < Math.min(names.size(), MOST_LITERAL); i++) {
            literals |= (long) literal(names.get(i), parameters.get(names.get(i))) << 2 * i;
        }
        return literals;
    }

    private int literal(String name, @Nullable Object value) {
        if (value instanceof Boolean is) {
            return is ? 1 : 2;
        }
        return value == null && optionalNames.contains(name) ? 3 : 0;
    }

    private Positional positional(long literals) {
        var text = new StringBuilder();
        var bound = new ArrayList<String>();
        for (var i = 0; i < places.size(); i++) {
            text.append(texts.get(i));
            var place = places.get(i);
            switch (place < MOST_LITERAL ? (int) (literals >> 2 * place) & 3 : 0) {
                case 1 -> text.append("TRUE");
                case 2 -> text.append("FALSE");
                case 3 -> text.append("NULL");
                default -> {
                    text.append('?');
                    bound.add(names.get(place));
                }
            }
        }
        return new Positional(text.append(texts.getLast()).toString(), List.copyOf(bound), types);
    }
}
