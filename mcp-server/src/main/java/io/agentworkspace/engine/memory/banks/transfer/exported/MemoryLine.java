package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A line of an exported bank: a memory, or a former revision of the memory before it. */
@Titled
public record MemoryLine(
        @Doc(value = "The memory's id.", format = "uuid") String id,
        @Doc("Its revision.") long revision,

        @Doc("Its name, if it has one.") @Nullable MemoryName name,

        @Doc("false if another memory holds this name.") @Nullable
        Boolean holdsName,

        @Doc(value = "The text.", max = 64_000, verbatim = true)
        String text,

        @Doc(value = "Its tags.", max = 20) List<String> tags,

        @Doc(value = "The name of the agent or user who stored it first.", max = 200)
        String author,

        @Doc(value = "The name of who stored this revision, if that is another one.", max = 200) @Nullable
        String editor,

        @Doc("The document that it was loaded from.") @Nullable
        Loaded document,

        @Doc("What another product knew of it.") @Nullable ObjectNode origin,

        @Doc(value = "The ids of the memories that it was made from.", max = 10_000) @Nullable
        List<String> derivedFrom,

        @Doc(value = "The id of the memory that it corrects.", format = "uuid") @Nullable
        String supersedes,

        @Doc(value = "Why it corrects that one.", max = 2_000) @Nullable
        String reason,

        @Doc(value = "The id of the memory that corrects it.", format = "uuid") @Nullable
        String supersededBy,

        @Doc("When that one was stored.") @Nullable Instant supersededAt,

        @Doc("When it expires.") @Nullable Instant expiresAt,

        @Doc("Whether MB_Load returns it first.") @Nullable Boolean pinned,
        @Doc("When the memory was first stored.") Instant createdAt,
        @Doc("When this revision was stored.") Instant updatedAt,

        @Doc("When the next revision replaced it; only on a former revision.") @Nullable
        Instant replacedAt) {

    /** Returns the same line with another name. */
    public MemoryLine named(MemoryName other) {
        return new MemoryLine(
                id,
                revision,
                other,
                holdsName,
                text,
                tags,
                author,
                editor,
                document,
                origin,
                derivedFrom,
                supersedes,
                reason,
                supersededBy,
                supersededAt,
                expiresAt,
                pinned,
                createdAt,
                updatedAt,
                replacedAt);
    }

    /** The place in a document that a memory was loaded from. */
    public record Loaded(
            @Doc(value = "The document's name.", max = 255) String name,
            @Doc("Its version.") @Nullable Long version,

            @Doc("Where in the document.") @Nullable String position) {}
}
