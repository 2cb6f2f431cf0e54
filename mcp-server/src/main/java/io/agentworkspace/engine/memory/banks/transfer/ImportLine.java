package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.context.Tags;
import io.agentworkspace.engine.memory.banks.transfer.exported.MemoryLine;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A line of an import that can be stored.
 *
 * @param number counted from 1
 * @param line what it says; its author is empty if it names none
 * @param replaces whether it replaces the memory that has its name, as MB_Store does
 */
record ImportLine(long number, MemoryLine line, boolean replaces) {
    /** How much later than ours the clock of another engine may be. */
    private static final Duration AHEAD = Duration.ofMinutes(5);

    /** The maximum length of an origin as JSON. */
    private static final int MOST_ORIGIN = 2_500;

    private static final Schema EXPORTED = Schema.ofInput(MemoryLine.class, false);
    private static final Schema SIMPLE = Schema.ofInput(SimpleLine.class, false);

    /** A line of JSON that other programs write. */
    record SimpleLine(
            @Doc(value = "The text.", max = Limits.CONTENT) String text,
            @Doc("Its name.") @Nullable MemoryName name,

            @Doc(value = "Who wrote it.", max = 200) @Nullable
            String author,

            @Doc(value = "Its tags.", max = 20) @Nullable List<String> tags,
            @Doc("When it was written.") @Nullable Instant createdAt,
            @Doc("When it expires.") @Nullable Instant expiresAt,

            @Doc("What another product knew of it.") @Nullable
            ObjectNode origin) {}

    /** @throws Problem with what is wrong with the line */
    static ImportLine of(String format, long number, String text, Instant now) {
        var json = Json.readObject(text.getBytes(StandardCharsets.UTF_8));
        if (format.equals(ImportTool.ENGINE)) {
            var line = Json.bind(EXPORTED.read(json, true), MemoryLine.class);
            return new ImportLine(number, checked(line, now), false);
        }
        var fields = SIMPLE.read(json, false);
        var simple = Json.bind(fields, SimpleLine.class);
        // The same line has the same id, so importing it twice changes nothing.
        var id = UUID.nameUUIDFromBytes(Json.canonical(identity(fields)).getBytes(StandardCharsets.UTF_8));
        var at = simple.createdAt() == null ? now : simple.createdAt();
        var author = Objects.requireNonNullElse(simple.author(), "").strip();
        var tags = Objects.requireNonNullElse(simple.tags(), List.<String>of());
        var line = new MemoryLine(
                id.toString(),
                1,
                simple.name(),
                null,
                simple.text(),
                tags,
                author,
                null,
                null,
                simple.origin(),
                null,
                null,
                null,
                null,
                null,
                simple.expiresAt(),
                null,
                at,
                at,
                null);
        return new ImportLine(number, checked(line, now), true);
    }

    private static MemoryLine checked(MemoryLine line, Instant now) {
        past("created_at", line.createdAt(), now);
        past("updated_at", line.updatedAt(), now);
        past("replaced_at", line.replacedAt(), now);
        past("superseded_at", line.supersededAt(), now);
        if (line.updatedAt().isBefore(line.createdAt())) {
            throw Problem.invalid("updated_at", "must not be before created_at");
        }
        if (line.revision() < 1) {
            throw Problem.invalid("revision", "must be at least 1");
        }
        var tags = Objects.requireNonNull(Tags.checked(line.tags()));
        if (tags.stream().anyMatch(tag -> tag.codePointCount(0, tag.length()) > 64)) {
            throw Problem.invalid("tags", "must have 1–64 characters each");
        }
        origins(line).forEach(id -> checkId("derived_from", id));
        checkId("supersedes", line.supersedes());
        checkId("superseded_by", line.supersededBy());
        return new MemoryLine(
                line.id().toLowerCase(java.util.Locale.ROOT),
                line.revision(),
                line.name(),
                line.holdsName(),
                line.text(),
                tags,
                line.author(),
                line.editor(),
                line.document(),
                checkedOrigin(line.origin()),
                line.derivedFrom(),
                line.supersedes(),
                line.reason(),
                line.supersededBy() == null ? null : line.supersededBy().toLowerCase(java.util.Locale.ROOT),
                line.supersededAt(),
                line.expiresAt(),
                line.pinned(),
                line.createdAt(),
                line.updatedAt(),
                line.replacedAt());
    }

    /** What a line is recognised by: not what may differ between two exports of the same memory. */
    private static ObjectNode identity(ObjectNode fields) {
        return fields.deepCopy().remove(List.of("origin", "expires_at"));
    }

    private static @Nullable ObjectNode checkedOrigin(@Nullable ObjectNode origin) {
        if (origin != null && Json.text(origin).length() > MOST_ORIGIN) {
            throw Problem.tooLarge("origin", Json.text(origin).length(), MOST_ORIGIN, "characters of JSON");
        }
        return origin;
    }

    private static void past(String field, @Nullable Instant at, Instant now) {
        if (at != null && at.isAfter(now.plus(AHEAD))) {
            throw Problem.invalid(field, "must not be in the future; it is now %s".formatted(now));
        }
    }

    private static void checkId(String field, @Nullable String id) {
        if (id != null && !isId(id)) {
            throw Problem.invalid(field, "must have UUIDs");
        }
    }

    private static boolean isId(String id) {
        try {
            return UUID.fromString(id).toString().equalsIgnoreCase(id);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    static List<String> origins(MemoryLine line) {
        return line.derivedFrom() == null ? List.of() : line.derivedFrom();
    }

    String id() {
        return line.id();
    }

    /** Returns the product that the line is from; null for one of the engine's own formats. */
    @Nullable
    String product() {
        var product = line.origin() == null ? "" : line.origin().path("product").asString("");
        return product.isBlank() ? null : product;
    }

    /** Returns the name that it gets if another memory than one of its product holds its own; null if it has none. */
    @Nullable
    MemoryName otherName() {
        var name = line.name();
        var other = name == null ? "" : "%s from %s".formatted(name.text(), product());
        return product() == null || MemoryName.broken(other).isPresent() ? null : new MemoryName(other);
    }

    /** Returns the same line with another name. */
    ImportLine named(MemoryName other) {
        return new ImportLine(number, line.named(other), replaces);
    }

    boolean isFormer() {
        return line.replacedAt() != null;
    }

    /** Returns the key of the name that the memory is to hold; null if it holds none. */
    @Nullable
    String key() {
        var name = line.name();
        return name == null || Boolean.FALSE.equals(line.holdsName()) ? null : name.key();
    }

    /** Returns the agents and users that the line names. */
    List<String> people() {
        var people = new ArrayList<String>();
        if (!line.author().isEmpty()) {
            people.add(line.author());
        }
        if (line.editor() != null) {
            people.add(line.editor());
        }
        return people;
    }
}
