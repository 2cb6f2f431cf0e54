package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import org.jspecify.annotations.Nullable;

/** A memory that came near, but does not answer. */
record NearMiss(
        @Doc("Its id.") String id,
        @Doc("Its bank.") String bank,

        @Doc("Its name, if it has one.") @Nullable
        String name,

        @Doc("Its score.") double score,

        @Doc("The first 160 characters of its text.") String text) {
    private static final int CHARACTERS = 160;

    static NearMiss of(Memory memory, double score) {
        return new NearMiss(memory.id(), memory.bank(), memory.name(), score, Excerpt.cut(memory.text(), CHARACTERS));
    }
}
