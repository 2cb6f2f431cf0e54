package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.problem.MemoryName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A memory of an export, and the names of those that it refers to.
 *
 * @param linked by the id of each memory that it refers to and that the reader may read: its name, or the id if it has none
 */
public record ExportedMemory(MemoryLine line, Map<String, String> linked) {
    private static final String EXTENSION = ".md";

    /** The most bytes of a part of a path that every file system takes, without the extension. */
    private static final int LONGEST_PART = 240;

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

    /** Returns what it is called where each memory needs a unique name: its name, else its id. */
    String title() {
        var name = line.name();
        return title(line.id(), name == null || Boolean.FALSE.equals(line.holdsName()) ? line.id() : name.text());
    }

    private static String title(String id, String name) {
        var stem = name.endsWith(EXTENSION) ? name.substring(0, name.length() - EXTENSION.length()) : name;
        return MemoryName.broken(stem).isEmpty()
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
            origins.forEach(origin -> add(relations, "derived_from", origin));
        }
        if (line.supersedes() != null) {
            add(relations, "supersedes", line.supersedes());
        }
        if (line.supersededBy() != null) {
            add(relations, "superseded_by", line.supersededBy());
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
