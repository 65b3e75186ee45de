SELECT
  t_g0,
  t_status,
  t_level,
  t_problem,
  t_hash,
  t_id,
  t_dim
FROM (
  SELECT
    t_id,
    t_dim,
    t_score,
    TO_HEX(MD5(CONCAT('42|', COALESCE(t_id, ''), '|', COALESCE(COALESCE(t_dim, ''), '')))) AS t_hash,
    CASE
      WHEN t_id IS NULL
      THEN 'no item_id'
      WHEN NOT t_given IS NULL AND t_score IS NULL
      THEN 'judge score'
      WHEN NOT COALESCE((
        judge_score >= 2
      ), FALSE)
      THEN 'filtered'
      WHEN t_id IN ('x1')
      THEN 'excluded'
      ELSE 'ok'
    END AS t_status,
    t_level,
    (
      FALSE
    ) AS t_problem,
    CASE
      WHEN t_raw2 LIKE ' %' OR t_raw2 LIKE '% ' OR t_raw2 = ''
      THEN NULLIF(TRIM(t_raw2), '')
      ELSE t_raw2
    END AS t_g0
  FROM (
    SELECT
      *,
      CAST(FLOOR(t_score + 0.5) AS INT64) AS t_level,
      t_score AS judge_score
    FROM (
      SELECT
        *,
        CASE WHEN t_number >= 0.999999999 AND t_number <= 5.000000001 THEN t_number END AS t_score
      FROM (
        SELECT
          *,
          CASE
            WHEN REGEXP_CONTAINS(t_given, '^[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?$')
            THEN SAFE_CAST(REPLACE(t_given, ',', '.') AS FLOAT64)
          END AS t_number
        FROM (
          SELECT
            *,
            CASE
              WHEN t_raw0 LIKE ' %' OR t_raw0 LIKE '% ' OR t_raw0 = ''
              THEN NULLIF(TRIM(t_raw0), '')
              ELSE t_raw0
            END AS t_id,
            CASE
              WHEN t_raw1 LIKE ' %' OR t_raw1 LIKE '% ' OR t_raw1 = ''
              THEN NULLIF(TRIM(t_raw1), '')
              ELSE t_raw1
            END AS t_dim,
            CASE
              WHEN t_raw3 LIKE ' %' OR t_raw3 LIKE '% ' OR t_raw3 = ''
              THEN NULLIF(TRIM(t_raw3), '')
              ELSE t_raw3
            END AS t_given
          FROM (
            SELECT
              `item_id` AS t_raw0,
              `dimension` AS t_raw1,
              `model` AS t_raw2,
              `judge_score` AS t_raw3
            FROM `judged`.`log` AS t_log
          ) AS t_step0
        ) AS t_step1
      ) AS t_step2
    ) AS t_step3
  ) AS t_rows
) AS t_base
WHERE
  t_status = 'ok'
QUALIFY
  ROW_NUMBER() OVER (PARTITION BY t_g0, t_status, t_level, t_problem ORDER BY t_hash NULLS LAST) <= 15
