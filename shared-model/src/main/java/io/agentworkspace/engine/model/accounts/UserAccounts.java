package io.agentworkspace.engine.model.accounts;

import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Users' own accounts at upstream servers. */
public interface UserAccounts {
    /** Where a request comes from. */
    record Origin(Caller caller, RequestSource source, String requestId) {}

    /** Returns whether the caller's user has connected an account. */
    ObjectNode read(Caller caller, String upstream);

    /** Begins to connect one. Returns where the browser goes. */
    ObjectNode connect(Caller caller, String upstream);

    /** Ends it. */
    ObjectNode disconnect(Origin origin, String upstream);

    /**
     * Handles the browser's return from the authorization server.
     *
     * @param query the parameters, which may have come several times
     * @return where it goes next
     */
    String arrive(Origin origin, String upstream, Map<String, List<String>> query);

    /** Returns the document about the engine as a client, which authorization servers read. */
    ObjectNode document(String upstream);
}
