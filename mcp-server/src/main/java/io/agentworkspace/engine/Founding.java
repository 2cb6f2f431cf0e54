package io.agentworkspace.engine;

import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.model.Audited;
import io.agentworkspace.engine.model.Capability;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Plan;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.model.Whence;
import io.agentworkspace.engine.store.AuditStore;
import io.agentworkspace.engine.store.KeyStore;
import io.agentworkspace.engine.store.TenantStore;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Makes a tenant that can be used: with its owner, and the owner's first key, which has all capabilities. */
record Founding(TenantStore tenants, KeyStore keys, AuditStore audit, Plan plan, Clock clock) {
    /** Inside a transaction. */
    FirstKey found(Name name, Name ownerName, ApiKey key) {
        var now = clock.instant();
        var tenant = tenants.create(name, plan.word(), now);
        var owner = tenants.createUser(tenant, ownerName, Role.OWNER, now);
        keys.insert(key, new KeyStore.Holder(tenant, owner, "first key", List.of(Capability.ALL)), now);
        note(tenant, "tenant.created", ownerName, new Audited.Subject("tenant", name.text(), null), now);
        note(tenant, "user.joined", ownerName, new Audited.Subject("user", ownerName.text(), null), now);
        return new FirstKey(key.reveal());
    }

    /** It came through no door, and with no credential but the access to the machine. */
    private void note(long tenant, String event, Name owner, Audited.Subject subject, Instant now) {
        var actor = new Audited.Actor(owner.text(), "operator", null);
        var id = UUID.randomUUID().toString();
        audit.note(tenant, Audited.event(event, now, actor, subject, Whence.NOWHERE, id));
    }
}
