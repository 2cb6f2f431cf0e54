package io.agentworkspace.engine.web.server;

import java.util.Locale;

/** The stages of a server. Health probes report each of them but {@code SERVING}, in which the engine reports its state. */
enum ServerStage {
    STARTING,
    /** The schema of the database is being upgraded, which may take a while. */
    UPGRADING,
    SERVING,
    /** Requests are still served, but a load balancer should send no more. */
    STOPPING;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
