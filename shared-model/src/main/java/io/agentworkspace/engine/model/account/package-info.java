/** The account of a tenant. */
@NullMarked
package io.agentworkspace.engine.model.account;

import org.jspecify.annotations.NullMarked;
