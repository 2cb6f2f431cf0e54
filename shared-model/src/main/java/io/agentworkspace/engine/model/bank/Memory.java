package io.agentworkspace.engine.model.bank;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Cuttable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One text in a bank, as shown to those who may read it. */
public record Memory(
        @Doc("The memory's id; send it in derived_from when you store something that you made from it.")
        String id,

        @Doc("Its bank.") String bank,

        @Doc("Its name in the bank, if it has one.") @Nullable
        String name,

        @Doc(value = "The text.", max = 64_000) String text,

        @Doc("true where the text is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole text has, where it is cut.") @Nullable
        Integer length,

        @Doc("Its tags.") List<String> tags,
        @Doc("The agent, or the user, who stored it first.") String author,

        @Doc("Where this revision comes from.") Source source,

        @Doc("Increases with each change; send it as if_revision to replace only what you have read.")
        long revision,

        @Doc("The ids of the memories that it was made from.")
        List<String> derivedFrom,

        @Doc("The id of the memory that it corrects.") @Nullable
        String supersedes,

        @Doc("The ids of all the memories that it corrects, that one first, where they are several.") @Nullable
        List<String> supersedesAll,

        @Doc("Why it corrects that one.") @Nullable String reason,

        @Doc("The id of the memory that corrects it: lists, search and MB_Load leave this one out.") @Nullable
        String supersededBy,

        @Doc("From then on lists, search and MB_Load leave it out.") @Nullable
        Instant expiresAt,

        @Doc("Whether MB_Load returns it first.") boolean pinned,
        @Doc("When it was first stored.") Instant createdAt,
        @Doc("When this revision was stored.") Instant updatedAt)
        implements Cuttable<Memory> {

    @Override
    public String longText() {
        return text;
    }

    @Override
    public Memory cut(String head, int whole) {
        return new Memory(
                id,
                bank,
                name,
                head,
                true,
                whole,
                tags,
                author,
                source,
                revision,
                derivedFrom,
                supersedes,
                supersedesAll,
                reason,
                supersededBy,
                expiresAt,
                pinned,
                createdAt,
                updatedAt);
    }

    /** Returns the same memory, which corrects these, one or several, in their order. */
    public Memory superseding(List<String> ids) {
        return new Memory(
                id,
                bank,
                name,
                text,
                truncated,
                length,
                tags,
                author,
                source,
                revision,
                derivedFrom,
                supersedes,
                ids.size() > 1 ? ids : null,
                reason,
                supersededBy,
                expiresAt,
                pinned,
                createdAt,
                updatedAt);
    }

    /**
     * The source of a memory's revision: the agent or user that stored it, the document that was loaded, or whom an imported
     * memory names as its author.
     */
    public record Source(
            @Doc(
                    value = "What the source is.",
                    oneOf = {"agent", "user", "document", "import"})
            String kind,

            @Doc("Its name.") String name,

            @Doc("The document's version.") @Nullable Long version,

            @Doc("Where in the document, such as page 3, line 12 or turn 7.") @Nullable
            String position,

            @Doc("Who said it, in a conversation.") @Nullable
            String speaker,

            @Doc("When it was said.") @Nullable Instant time,

            @Doc("The title of its session, else its day.") @Nullable
            String session,

            @Doc("What another product knew of an imported memory.") @Nullable
            ObjectNode origin) {
        public Source(String kind, String name, @Nullable Long version, @Nullable String position) {
            this(kind, name, version, position, null, null, null, null);
        }
    }
}
