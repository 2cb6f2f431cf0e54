package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.upstream.AssertionClaims;

/** Issues tokens that assert to another authorization server who the calling user is. */
@FunctionalInterface
public interface SubjectTokens {
    String of(Caller caller, AssertionClaims claims);
}
