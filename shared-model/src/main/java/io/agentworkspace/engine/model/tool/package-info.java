/**
 * {@code Tool}, {@code Catalogue}, {@code ToolRunner}, and what a call consists of: {@code Caller}, {@code Call},
 * {@code Envelope}.
 */
@NullMarked
package io.agentworkspace.engine.model.tool;

import org.jspecify.annotations.NullMarked;
