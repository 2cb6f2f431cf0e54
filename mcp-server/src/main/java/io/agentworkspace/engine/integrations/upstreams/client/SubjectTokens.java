package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.identity.credentials.AssertionClaims;
import io.agentworkspace.engine.model.tool.Caller;

/** Issues tokens that assert to another authorization server who the calling user is. */
@FunctionalInterface
public interface SubjectTokens {
    String of(Caller caller, AssertionClaims claims);
}
