package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The memories that were loaded from documents, which end with them if the caller says so. */
public interface LoadedMemories {
    /**
     * What a bank has of documents.
     *
     * @param name null for all banks together that the caller may not see
     * @param refusal why the caller may not delete it; null if it may
     */
    record InBank(
            @Nullable String name, long memories, @Nullable String refusal) {}

    /** Returns the banks that have memories from these versions, by name; those that the caller may not see as one at the end. */
    List<InBank> banks(Call call, List<UUID> documents);

    /**
     * Keeps the memories of all versions of a document connected with it under its new name. They say the former name until MB_Load loads
     * it again: who may rename a document need not be permitted to change a bank.
     */
    void rename(Call call, String formerKey, String key);

    /** Deletes them for good, and reports how many they were; whether the caller may is known by then. */
    long delete(Call call, List<UUID> documents);
}
