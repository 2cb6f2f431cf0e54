package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.store.SessionStore;

/** A request with a possible session: its id, and the stored changes to it. */
record SessionVisit(Exchange exchange, Session session, SessionStore.State state) {
    Turn quietTurn() {
        return new Turn(exchange, session.client(), Voice.silent(), Inputs.NONE);
    }
}
