package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One version of a document, as lists show it (decisions, section 10). */
@Titled
public record Document(
        @Doc(value = "The id of this version.", format = "uuid")
        String id,

        @Doc("Its name; the same name again is its next version.")
        String name,

        @Doc("Counts from 1.") long version,

        @Doc("Its type, detected from its content; before validation, the submitted type.") @Nullable
        String mediaType,

        @Doc("In bytes.") long size,
        @Doc("SHA-256 of the file, in hex.") String sha256,

        @Doc(
                value = "Its state in validation.",
                oneOf = {"queued", "validating", "accepted", "rejected"})
        DocumentState state,

        @Doc("Why it was rejected; for an accepted one, warnings.")
        List<DocumentReason> reasons,

        @Doc("The user who submitted it.") String submittedBy,
        @Doc("When it was submitted.") Instant createdAt,

        @Doc("When validation ended; absent before.") @Nullable
        Instant validatedAt,

        @Doc("How many characters of text it has, once accepted.") @Nullable
        Long characters,

        @Doc(
                value = "conversation if its text is one; absent for every other.",
                oneOf = {"conversation"})
        @Nullable
        String kind,

        @Doc("How many turns a conversation has.") @Nullable Long turns,

        @Doc("What it is elsewhere, as it was submitted; absent if nobody said.") @Nullable
        String origin,

        @Doc("Its place in the queue; absent once it is validated.") @Nullable
        QueuePlace queue) {}
