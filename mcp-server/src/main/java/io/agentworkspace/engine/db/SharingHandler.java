package io.agentworkspace.engine.db;

import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Tool;
import org.jspecify.annotations.Nullable;

/** A handler whose concurrent calls may share one transaction, since they would wait for each other anyway. */
public interface SharingHandler<I, O> extends Tool.Handler<I, O> {
    /** Returns what calls must have in common to share a transaction; null if this call shares it with nobody. */
    @Nullable
    Object sharedBy(I input, Call call);
}
