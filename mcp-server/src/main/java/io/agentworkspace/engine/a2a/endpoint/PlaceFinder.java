package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.tasks.AgentPlace;
import org.jspecify.annotations.Nullable;

/** Finds the caller's place with the agent of an address, where a refusal is written as the binding writes it. */
@FunctionalInterface
interface PlaceFinder {
    /** Returns null at the engine's own address. */
    @Nullable
    AgentPlace find();
}
