package io.agentworkspace.engine.app;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.problem.Name;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Creates a tenant with its owner, and the owner's first key, which has all capabilities. */
record TenantFounder(TenantStore tenants, KeyStore keys, AuditStore audit, Plan plan, Clock clock) {
    /** Creates a tenant that has no user yet. */
    long create(Name name) {
        return tenants.create(name, plan.word(), clock.instant());
    }

    /** Gives the tenant its owner within the current transaction. */
    FirstKey createOwner(long tenant, Name name, Name ownerName, ApiKey key) {
        var now = clock.instant();
        tenants.setPlan(tenant, plan.word()); // Another run may have created it.
        var owner = tenants.createUser(tenant, ownerName, Role.OWNER, now);
        keys.insert(key, new KeyStore.KeyOwner(tenant, owner, "first key", List.of(Capability.ALL)), now);
        note(tenant, AuditEvent.TENANT_CREATED, ownerName, new AuditEntry.Subject("tenant", name.text(), null), now);
        note(tenant, AuditEvent.USER_JOINED, ownerName, new AuditEntry.Subject("user", ownerName.text(), null), now);
        return new FirstKey(key.reveal());
    }

    /** Writes an audit entry. It has no endpoint and no credential: the operator acted with access to the machine. */
    private void note(long tenant, AuditEvent event, Name owner, AuditEntry.Subject subject, Instant now) {
        var actor = new AuditEntry.Actor(owner.text(), "operator", null);
        var id = UUID.randomUUID().toString();
        audit.note(tenant, AuditEntry.event(event, now, actor, subject, RequestSource.NOWHERE, id));
    }
}
