package io.agentworkspace.engine.upstreams.client;

import io.agentworkspace.engine.model.tool.Caller;

/** Issues tokens that assert to another authorization server who the calling user is. */
@FunctionalInterface
public interface SubjectTokens {
    /** @param audience the address of the authorization server */
    String of(Caller caller, String audience);
}
