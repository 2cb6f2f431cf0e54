package io.agentworkspace.engine.memory.banks.corrections;

import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Searches by words in the banks that the caller may write. */
@FunctionalInterface
public interface WritableSearch {
    /**
     * Runs work that searches, when it is the caller's turn.
     *
     * @param bank the only bank in which it searches; null for all
     * @param work gets what finds the memories with most of the words of a text, which has a few sentences
     */
    void run(Call call, @Nullable Name bank, Consumer<Function<String, List<Memory>>> work);
}
