package io.agentworkspace.engine.mcp.source;

/** What a model should know before it begins. Clients receive it when they connect. */
@FunctionalInterface
public interface InstructionSource {
    /** Returns the text for the caller of a request. */
    String instructions(CallOrigin request);
}
