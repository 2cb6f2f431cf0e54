package io.agentworkspace.engine;

import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.model.Capability;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.store.KeyStore;
import io.agentworkspace.engine.store.TenantStore;
import java.time.Clock;
import java.util.List;
import java.util.Locale;

/** Makes a tenant that can be used: with its owner, and the owner's first key, which has all capabilities. */
record Founding(TenantStore tenants, KeyStore keys, Settings.Plan plan, Clock clock) {
    /** Inside a transaction. */
    FirstKey found(Name name, Name ownerName, ApiKey key) {
        var now = clock.instant();
        var tenant = tenants.create(name, plan.name().toLowerCase(Locale.ROOT), now);
        var owner = tenants.createUser(tenant, ownerName, Role.OWNER, now);
        keys.insert(key, new KeyStore.Holder(tenant, owner, "first key", List.of(Capability.ALL)), now);
        return new FirstKey(key.reveal());
    }
}
