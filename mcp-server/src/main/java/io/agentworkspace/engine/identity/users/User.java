package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;

/** A person or a service identity in a tenant, as shown to admins. */
@Titled
public record User(
        @Doc("The user's name, unique in the tenant without regard to case.")
        String name,

        @Doc("viewer, member, admin or owner.") Role role,

        @Doc("Increases with each change; send it as if_revision to change only what you have read.")
        long revision,

        @Doc("When it was created.") Instant createdAt) {}
