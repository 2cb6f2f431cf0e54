package io.agentworkspace.engine.model.bank;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Cuttable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One text in a bank, as its readers see it. */
public record Memory(
        @Doc("The memory's id; give it in derived_from when you store what you made from it.")
        String id,

        @Doc("Its name in the bank, if it has one.") @Nullable
        String name,

        @Doc(value = "The text.", max = 64_000) String text,

        @Doc("true where the text is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole text has, where it is cut.") @Nullable
        Integer length,

        @Doc("Its tags.") List<String> tags,
        @Doc("The agent, or the user, who stored it first.") String author,

        @Doc("What it was made from; absent when that was not said.") @Nullable
        Source source,

        @Doc("Rises with each new text; give it as if_revision to replace only what you have read.")
        long revision,

        @Doc("When it was first stored.") Instant createdAt,
        @Doc("When its text was last replaced.") Instant updatedAt)
        implements Cuttable<Memory> {

    @Override
    public String longText() {
        return text;
    }

    @Override
    public Memory cut(String head, int whole) {
        return new Memory(id, name, head, true, whole, tags, author, source, revision, createdAt, updatedAt);
    }

    /** Where a memory comes from. */
    public record Source(
            @Doc("The ids of the memories of this bank that it was made from.")
            List<String> derivedFrom) {}
}
