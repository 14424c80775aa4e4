from memoryd_server.stores.redis.key import ShardKeys, store_key


def test_all_keys_of_a_shard_have_one_hash_tag() -> None:
    keys = ShardKeys("my-memory", 7)
    names = [keys.shard, keys.journal, keys.agents, keys.deadlines, keys.ended, keys.daemons, keys.agent("{x}")]
    assert all(name.startswith("{my-memory:7}:") for name in names)
    assert len(set(names)) == len(names)


def test_shards_are_spread_over_the_slots() -> None:
    slots = {ShardKeys("memoryd", shard).slot for shard in range(64)}
    assert len(slots) > 60
    assert {slot * 3 // 16_384 for slot in slots} == {0, 1, 2}


def test_no_agent_id_collides_with_another_key() -> None:
    keys = ShardKeys("memoryd", 0)
    assert keys.agent("") not in {keys.shard, keys.journal, keys.agents, keys.deadlines, keys.ended, keys.daemons}
    assert store_key("memoryd") not in {ShardKeys("memoryd", shard).shard for shard in range(64)}
