// memory: the properties of a memory's node that make a `Memory`
{
  .id, .intent_id, .intent, .objects, .state, .created_at, .last_used_at, .times, .successes, .failures, .evidence,
  .statement, .dialect, .revision, .missing
}
