package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.key.JoinRequest;
import io.agentworkspace.engine.model.key.JoinResponse;
import io.agentworkspace.engine.model.key.Joining;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Joining where no code is valid. */
final class TestJoining implements Joining {
    @Override
    public JoinResponse join(JoinRequest request, String requestId, RequestSource source) {
        throw new Problem(Failure.NOT_FOUND, "the code is not valid");
    }

    @Override
    public String script() {
        return "#!/bin/sh\n";
    }

    @Override
    public String powershellScript() {
        return "#!/bin/sh\n";
    }

    @Override
    public Optional<String> file(String name) {
        return Optional.empty();
    }

    @Override
    public byte[] plugin() {
        return new byte[0];
    }

    @Override
    public ObjectNode marketplace() {
        return Json.object();
    }
}
