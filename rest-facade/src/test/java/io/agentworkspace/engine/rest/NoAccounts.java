package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.accounts.UserAccounts;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Accounts for routes without upstream servers. */
final class NoAccounts implements UserAccounts {
    private static final String NONE = "no test of this module has upstream servers";

    @Override
    public ObjectNode read(Caller caller, String upstream) {
        throw new AssertionError(NONE);
    }

    @Override
    public ObjectNode connect(Caller caller, String upstream) {
        throw new AssertionError(NONE);
    }

    @Override
    public ObjectNode disconnect(Origin origin, String upstream) {
        throw new AssertionError(NONE);
    }

    @Override
    public String arrive(Origin origin, String upstream, Map<String, List<String>> query) {
        throw new AssertionError(NONE);
    }

    @Override
    public ObjectNode document(String upstream) {
        throw new AssertionError(NONE);
    }
}
