package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A memory that a search found. */
record Hit(
        @Doc("The memory's id.") String id,

        @Doc("The bank that it is in; MB_Read shows it whole.")
        String bank,

        @Doc("Its name in the bank, if it has one.") @Nullable
        String name,

        @Doc("The whole text, if there is room for it.") @Nullable
        String text,

        @Doc("Otherwise the part of the text that matches best.") @Nullable
        String snippet,

        @Doc("How well it answers the query, from 0 to 1.") double score,
        @Doc("Why it was found.") Why why,

        @Doc("The ids of memories that are nearly the same and are not shown.") @Nullable
        List<String> also,

        @Doc("The agent, or the user, who stored it first.") String author,

        @Doc("Where this revision comes from.") Memory.Source source,
        @Doc("Its tags.") List<String> tags,

        @Doc("Whether MB_Load returns it first.") boolean pinned,

        @Doc("Its revision; send it to MB_Store as if_revision.")
        long revision,

        @Doc("When it was first stored.") Instant createdAt,
        @Doc("When this revision was stored.") Instant updatedAt,

        @Doc("For a turn of a conversation: those directly before and after it, if there is room and they are no hits.")
        @Nullable
        List<Around> around) {

    /** What was said directly before or after a turn. */
    record Around(
            @Doc("Its id.") String id,
            @Doc("Whether it was said before.") boolean before,
            @Doc("Who said it.") String speaker,
            @Doc("When.") @Nullable Instant time,
            @Doc("At most 600 characters of it.") String text) {}

    /** Returns how much of its text is shown. */
    int length() {
        return Objects.requireNonNullElse(text, Objects.requireNonNullElse(snippet, ""))
                .length();
    }

    Hit with(@Nullable List<Around> turns) {
        return new Hit(
                id, bank, name, text, snippet, score, why, also, author, source, tags, pinned, revision, createdAt,
                updatedAt, turns);
    }

    /**
     * Why a memory was found.
     *
     * @param highlights in the shown text
     */
    record Why(
            @Doc("Its rank among the memories with words of the query; absent if it has none of them.") @Nullable
            Integer textRank,

            @Doc("Its rank among the memories of similar meaning; absent if it is not similar.") @Nullable
            Integer vectorRank,

            @Doc("The words of the query that it has.") List<String> terms,

            @Doc("Their positions in the text or snippet: pairs of start and end, in characters.")
            List<List<Integer>> highlights,

            @Doc("The id of a hit before it, which superseded what this memory still says.") @Nullable
            String replacedBy) {}

    /** A memory that came near, but does not answer. */
    record Near(
            @Doc("Its id.") String id,
            @Doc("Its bank.") String bank,

            @Doc("Its name, if it has one.") @Nullable String name,

            @Doc("Its score.") double score,

            @Doc("The first 160 characters of its text.") String text) {
        private static final int CHARACTERS = 160;

        static Near of(Memory memory, double score) {
            return new Near(memory.id(), memory.bank(), memory.name(), score, Excerpt.cut(memory.text(), CHARACTERS));
        }
    }
}
