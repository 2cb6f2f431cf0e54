package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.problem.MemoryName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A memory of an export, and the names of those that it refers to.
 *
 * @param name its name; or its id, if it has none or another memory has the same name with {@code .md}
 * @param linked the same for each memory that it refers to and that the reader may read, by its id
 */
public record ExportedMemory(MemoryLine line, String name, Map<String, String> linked) {
    /** How many of the memories that it was made from it refers to. */
    public static final int ORIGINS = 100;

    private static final String EXTENSION = ".md";

    /** A name like the id of another memory. */
    private static final Pattern ID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    /** The most bytes of a part of a path that every file system takes, without the extension. */
    private static final int LONGEST_PART = 240;

    static final String DERIVED_FROM = "derived_from";
    static final String SUPERSEDES = "supersedes";
    static final String SUPERSEDED_BY = "superseded_by";

    /** A relation to another memory of the bank, by its title. */
    record Relation(String kind, String title) {}

    /** Returns whether it is neither superseded nor expired. */
    public boolean isCurrent(Instant now) {
        return line.supersededBy() == null && !isExpired(now);
    }

    boolean isExpired(Instant now) {
        var expiry = line.expiresAt();
        return expiry != null && !expiry.isAfter(now);
    }

    /** Returns the name that it holds. Of several memories with one name only one holds it. */
    @Nullable
    MemoryName held() {
        return Boolean.FALSE.equals(line.holdsName()) ? null : line.name();
    }

    /**
     * Returns what it is called where each memory needs a unique name, and a path: its name without {@code .md}, else its id. No
     * folder has this ending, since a file could have the same path.
     */
    String title() {
        return title(line.id(), name);
    }

    private static String title(String id, String name) {
        var stem = name.endsWith(EXTENSION) ? name.substring(0, name.length() - EXTENSION.length()) : name;
        return MemoryName.broken(stem).isEmpty()
                        && !ID.matcher(stem).matches()
                        && !stem.toLowerCase(Locale.ROOT).contains(EXTENSION + "/")
                        && Stream.of(stem.split("/"))
                                .allMatch(part -> part.getBytes(StandardCharsets.UTF_8).length <= LONGEST_PART)
                ? stem
                : id;
    }

    /** Returns the relations to memories that the reader may read. */
    List<Relation> relations() {
        var relations = new ArrayList<Relation>();
        var origins = line.derivedFrom();
        if (origins != null) {
            origins.forEach(origin -> add(relations, DERIVED_FROM, origin));
        }
        if (line.supersedes() != null) {
            add(relations, SUPERSEDES, line.supersedes());
        }
        if (line.supersededBy() != null) {
            add(relations, SUPERSEDED_BY, line.supersededBy());
        }
        return relations;
    }

    private void add(List<Relation> relations, String kind, String id) {
        var name = linked.get(id);
        if (name != null) {
            relations.add(new Relation(kind, title(id, name)));
        }
    }
}
