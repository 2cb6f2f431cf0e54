package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the memories of a bank that have nearly the same text as one that is being stored. */
@FunctionalInterface
public interface SimilarMemories {
    /** The maximum number of memories that are returned. */
    int MOST = 3;

    /** Returns at most three that the caller may read, the most similar first. */
    List<Similar> find(Call call, Name bank, String text);

    /** A memory with nearly the same text. */
    record Similar(
            @Doc("Its id.") String id,

            @Doc("Its name, if it has one.") @Nullable String name,

            @Doc("How much of the text is the same, from 0 to 1.")
            double score,

            @Doc("The first 160 characters of its text.") String text) {}
}
