package io.agentworkspace.engine.model.key;

import io.agentworkspace.engine.model.audit.RequestSource;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Joining with an invitation. The facade routes and documents it; the server process implements it. */
public interface Joining {
    /** Creates what the invitation names, all or nothing. The code is the only credential. */
    JoinResponse join(JoinRequest request, String requestId, RequestSource source);

    /** Returns the shell script that joins, without secrets. */
    String script();

    /** Returns the script for PowerShell, which runs the other one in the shell of Git for Windows, without secrets. */
    String powershellScript();

    /** Returns a file that the script installs, without secrets; empty if there is none of this name. */
    Optional<String> file(String name);

    /** Returns the plugin for coding agents, as a zip. */
    byte[] plugin();

    /** Returns the marketplace from which Claude Code installs the plugin. */
    ObjectNode marketplace();
}
